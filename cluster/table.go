package cluster

import "context"

func (h *Host) tableLayout(context.Context, Plan) (layout, error) {
	return nil, final("tables are not known yet")
}
