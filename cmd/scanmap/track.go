package main

import (
	"errors"
	"io"

	"scanmap/dna"
	"scanmap/track"
)

// errNoSeek is the error of a bigWig that is to go to a device or a FIFO.
var errNoSeek = errors.New("bigWig goes to a regular file only, because its beginning is written last")

// trackIndexes are the names that the index of a track may get.
func trackIndexes(name string, format track.Format) []string {
	if format != track.BedGraphBGZF {
		return nil
	}
	return []string{name + ".tbi", name + ".csi"}
}

// trackContigs are contigs as tracks have them.
func trackContigs(contigs []dna.Contig) []track.Contig {
	all := make([]track.Contig, len(contigs))
	for i := range contigs {
		all[i] = track.Contig{Name: contigs[i].Name, Length: contigs[i].Length}
	}
	return all
}

// writeTrack writes values as a format has them to a file that is open, and an index beside it
// where the format has one.
func writeTrack(results *resultFiles, to *output, format track.Format, contigs []track.Contig, values track.Values, threads int) error {
	switch format {
	case track.BedGraphBGZF:
		if to.temporary == "" { // nothing is beside a device or a FIFO
			return track.WriteBGZF(to, nil, contigs, values, threads)
		}
		index, err := results.openLater(to.name + track.IndexEnding(contigs))
		if err != nil {
			return err
		}
		return firstError(track.WriteBGZF(to, index, contigs, values, threads), index.finish())
	case track.BigWig:
		file, ok := to.file.(io.Seeker)
		if !ok || to.temporary == "" {
			return to.fail(errNoSeek)
		}
		return track.WriteBigWig(seekableOutput{to, file}, contigs, values, threads)
	case track.BedGraph:
	}
	return track.WriteBedGraph(to, contigs, values, threads)
}

// seekableOutput is an output whose earlier parts are written again.
type seekableOutput struct {
	*output
	io.Seeker
}
