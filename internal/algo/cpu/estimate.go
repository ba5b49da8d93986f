package cpu

// Distinct estimates how many different values n have of which a sorted sample was drawn: Chao's lower
// bound, from how many of the sample occur once and twice.
func Distinct[E comparable](sample []E, n int) int {
	distinct, once, twice := 0, 0, 0
	for lo := 0; lo < len(sample); distinct++ {
		hi := lo + 1
		for hi < len(sample) && sample[hi] == sample[lo] {
			hi++
		}
		switch hi - lo {
		case 1:
			once++
		case 2:
			twice++
		}
		lo = hi
	}
	switch {
	case once == 0:
		return distinct
	case twice == 0:
		return n
	}
	return min(n, distinct+once*once/(2*twice))
}
