package table

import (
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/gpusort/gpusort/internal/key"
	gpuschema "github.com/gpusort/gpusort/internal/key/schema"
)

// parquetKind is what the values of a column are, or why it cannot be a key.
func parquetKind(c *schema.Column) (kind, error) {
	switch {
	case c.MaxRepetitionLevel() > 0:
		return kind{}, errors.New("its rows have several values, which have no order")
	case c.MaxDefinitionLevel() > 1<<7 || c.MaxRepetitionLevel() > 1<<7:
		return kind{}, errors.New("it is nested too deeply")
	}
	logical := c.LogicalType()
	switch l := logical.(type) {
	case schema.IntervalLogicalType:
		return kind{}, errors.New("intervals have no order")
	case schema.GeometryLogicalType, schema.GeographyLogicalType:
		return kind{}, fmt.Errorf("%v values have no order", logical)
	case schema.Float16LogicalType:
		return kind{Kind: gpuschema.Float16, typ: key.U8}, nil
	case schema.DecimalLogicalType:
		switch c.PhysicalType() {
		case parquet.Types.ByteArray:
			return kind{other: anyInteger}, nil
		case parquet.Types.FixedLenByteArray:
			return kind{other: bigEndian}, nil
		}
	case schema.IntLogicalType:
		if !l.IsSigned() {
			return number(unsigned(c.PhysicalType())), nil
		}
	}
	switch c.PhysicalType() {
	case parquet.Types.Boolean:
		return kind{Kind: gpuschema.Bool, typ: key.U8}, nil
	case parquet.Types.Int32:
		return number(key.I32), nil
	case parquet.Types.Int64:
		return number(key.I64), nil
	case parquet.Types.Int96:
		return kind{other: int96}, nil
	case parquet.Types.Float:
		return number(key.F32), nil
	case parquet.Types.Double:
		return number(key.F64), nil
	case parquet.Types.ByteArray:
		return text, nil
	case parquet.Types.FixedLenByteArray:
		return kind{other: octets}, nil
	}
	return kind{}, fmt.Errorf("values of type %v are not known", c.PhysicalType())
}

func unsigned(t parquet.Type) key.Type {
	if t == parquet.Types.Int32 {
		return key.U32
	}
	return key.U64
}
