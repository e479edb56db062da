// Sorting what belongs to one read: by a thread where it is little, and otherwise by a block, in
// tiles in shared memory, which are then merged in pairs. Items are of any type with a function
// key_of, whose result has < and ==, and a last_item.
#pragma once

#include "language.cuh"

constexpr u32 SORT_THREADS = 256;
constexpr u32 SORT_TILE = 1024; // items that are sorted in shared memory

// last_item is one that none comes after.
template <class Item> DEVICE Item last_item();
template <> DEVICE u32x2 last_item<u32x2>() { return {~0u, ~0u}; }
template <> DEVICE u32x4 last_item<u32x4>() { return {~0u, ~0u, ~0u, ~0u}; }

// sort_by_thread sorts n items by insertion.
template <class Item> DEVICE void sort_by_thread(Item* items, u32 n) {
	for (u32 i = 1; i < n; i++) {
		const Item c = items[i];
		u32 j = i;
		for (; j > 0 && key_of(c) < key_of(items[j - 1]); j--) items[j] = items[j - 1];
		items[j] = c;
	}
}

// sort_tile sorts up to SORT_TILE items, by a bitonic network (Batcher 1968) over the least power
// of two that holds them.
template <class Item> DEVICE void sort_tile(Item* from, u32 n, Item* tile) {
	u32 size = 32;
	while (size < n) size *= 2;
	for (u32 i = thread_index(); i < size; i += SORT_THREADS) tile[i] = i < n ? from[i] : last_item<Item>();
	block_barrier();
	for (u32 width = 2; width <= size; width *= 2)
		for (u32 step = width / 2; step > 0; step /= 2) {
			for (u32 i = thread_index(); i < size / 2; i += SORT_THREADS) {
				const u32 low = 2 * i - (i & (step - 1)), high = low + step;
				const Item a = tile[low], b = tile[high];
				if ((key_of(b) < key_of(a)) == ((low & width) == 0)) {
					tile[low] = b;
					tile[high] = a;
				}
			}
			block_barrier();
		}
	for (u32 i = thread_index(); i < n; i += SORT_THREADS) from[i] = tile[i];
	block_barrier();
}

// rank returns how many of n sorted items come before a key, or at it if `equal`.
template <class Item, class Key> DEVICE u32 rank(const Item* sorted, u32 n, Key key, bool equal) {
	u32 low = 0, high = n;
	while (low < high) {
		const u32 middle = (low + high) / 2;
		const Key there = key_of(sorted[middle]);
		if (there < key || (equal && there == key))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

// sort_by_block sorts n items. scratch has room for as many, tile for SORT_TILE. The place of an
// item in a merge is its own in its run and its rank in the other.
template <class Item> DEVICE void sort_by_block(Item* items, Item* scratch, u32 n, Item* tile) {
	for (u32 at = 0; at < n; at += SORT_TILE) sort_tile(items + at, minimum(SORT_TILE, n - at), tile);
	Item *from = items, *to = scratch;
	for (u32 run = SORT_TILE; run < n; run *= 2) {
		for (u32 i = thread_index(); i < n; i += SORT_THREADS) {
			const u32 own = i & ~(run - 1), pair = own & ~run;
			const bool left = own == pair;
			const u32 other = left ? own + run : pair, there = other >= n ? 0 : minimum(run, n - other);
			const Item c = from[i];
			to[pair + (i - own) + rank(from + other, there, key_of(c), !left)] = c;
		}
		block_barrier();
		Item* swap = from;
		from = to;
		to = swap;
	}
	if (from != items)
		for (u32 i = thread_index(); i < n; i += SORT_THREADS) to[i] = from[i];
	block_barrier();
}

// for_listed_reads has blocks take reads of a list until there are none. Each read gets its first
// item and their number; places are those after its last one. `taken` counts reads, and next is in
// shared memory.
template <class Each>
DEVICE void for_listed_reads(const u32* reads, u32 count, u32* taken, u32& next, const u32* places, Each each) {
	for (;;) {
		if (thread_index() == 0) next = atomic_add(taken, 1u);
		block_barrier();
		const u32 mine = next;
		block_barrier();
		if (mine >= count) return;
		const u32 read = reads[mine], first = read ? places[read - 1] : 0;
		each(first, places[read] - first);
	}
}
