package track

import (
	"encoding/binary"
	"slices"
	"strings"
)

// fanOut is the number of items of a full node of either tree: bedGraphToBigWig's default.
const fanOut = 256

// nodeHead is the number of bytes before the items of a node: whether it is a leaf, a zero, and the
// number of items in two bytes.
const nodeHead = 4

// A tree says how to write one. Its nodes are full but the last ones of each level, and follow each
// other from the root to the leaves without padding: the old libBigWig reads a tree of contigs so,
// without looking at offsets.
type tree struct {
	items                int // items of all leaves together
	leafBytes, nodeBytes int // of an item of a leaf, and of another node
	// leaf appends an item of a leaf, and node the item of a child at an offset, whose leaves have
	// items first to last.
	leaf func(b []byte, item int) []byte
	node func(b []byte, first, last int, offset int64) []byte
}

func (t *tree) write(out *output) error {
	// Levels from the leaves to the root: how many items their nodes have, and where they begin.
	items := []int{t.items}
	for nodes(items[len(items)-1]) > 1 {
		items = append(items, nodes(items[len(items)-1]))
	}
	begin := make([]int64, len(items))
	size := func(level int) int {
		if level == 0 {
			return t.leafBytes
		}
		return t.nodeBytes
	}
	at := out.size
	for level := len(items) - 1; level >= 0; level-- {
		begin[level] = at
		at += int64(nodes(items[level])*nodeHead + items[level]*size(level))
	}

	var b []byte
	for level := len(items) - 1; level >= 0; level-- {
		// reach is how many items of leaves are below one of this level.
		reach := 1
		for range level {
			reach *= fanOut
		}
		for n := range nodes(items[level]) {
			from := n * fanOut
			to := min(from+fanOut, items[level])
			b = append(b[:0], 0, 0)
			if level == 0 {
				b[0] = 1
			}
			b = binary.LittleEndian.AppendUint16(b, uint16(to-from))
			for i := from; i < to; i++ {
				if level == 0 {
					b = t.leaf(b, i)
					continue
				}
				offset := begin[level-1] + int64(i)*int64(nodeHead+fanOut*size(level-1))
				b = t.node(b, i*reach, min((i+1)*reach, t.items)-1, offset)
			}
			if err := out.write(b); err != nil {
				return err
			}
		}
	}
	return nil
}

// nodes is the number of nodes that items take: one if there are none.
func nodes(items int) int { return max(1, (items+fanOut-1)/fanOut) }

// writeContigs writes the B+ tree of contigs, whose keys are names, all as long as the longest.
func writeContigs(out *output, contigs []Contig) error {
	order := make([]int, len(contigs))
	key := 1
	for i, c := range contigs {
		order[i] = i
		key = max(key, len(c.Name))
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(contigs[a].Name, contigs[b].Name) })

	put := binary.LittleEndian.AppendUint32
	head := put(nil, treeMagic)
	head = put(head, fanOut)
	head = put(head, uint32(key))
	head = put(head, 8) // bytes of a value
	head = binary.LittleEndian.AppendUint64(head, uint64(len(contigs)))
	head = binary.LittleEndian.AppendUint64(head, 0)
	if err := out.write(head); err != nil {
		return err
	}
	padding := make([]byte, key)
	putName := func(b []byte, item int) []byte {
		name := contigs[order[item]].Name
		return append(append(b, name...), padding[len(name):]...)
	}
	t := tree{
		items: len(contigs), leafBytes: key + 8, nodeBytes: key + 8,
		leaf: func(b []byte, item int) []byte {
			b = put(putName(b, item), uint32(order[item]))
			return put(b, uint32(contigs[order[item]].Length))
		},
		node: func(b []byte, first, _ int, offset int64) []byte {
			return binary.LittleEndian.AppendUint64(putName(b, first), uint64(offset))
		},
	}
	return t.write(out)
}

// writeIndex writes the R tree of blocks, which end where it begins.
func writeIndex(out *output, leaves []leaf) error {
	put := binary.LittleEndian.AppendUint32
	putExtent := func(b []byte, first, last int) []byte {
		from, to := leaves[first].extent, leaves[last].extent
		return put(put(put(put(b, from.contig), from.start), to.lastContig), to.end)
	}
	head := put(nil, indexMagic)
	head = put(head, fanOut)
	head = binary.LittleEndian.AppendUint64(head, uint64(len(leaves)))
	if len(leaves) > 0 {
		head = putExtent(head, 0, len(leaves)-1)
	} else {
		head = append(head, make([]byte, 16)...)
	}
	head = binary.LittleEndian.AppendUint64(head, uint64(out.size))
	head = put(head, blockItems)
	head = put(head, 0)
	if err := out.write(head); err != nil {
		return err
	}
	t := tree{
		items: len(leaves), leafBytes: 32, nodeBytes: 24,
		leaf: func(b []byte, item int) []byte {
			b = binary.LittleEndian.AppendUint64(putExtent(b, item, item), uint64(leaves[item].offset))
			return binary.LittleEndian.AppendUint64(b, uint64(leaves[item].size))
		},
		node: func(b []byte, first, last int, offset int64) []byte {
			return binary.LittleEndian.AppendUint64(putExtent(b, first, last), uint64(offset))
		},
	}
	return t.write(out)
}
