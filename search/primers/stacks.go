package primers

// The tables have enthalpies in kcal/mol and entropies in cal/(mol K) of two pairs: the strand
// above 5' to 3', the one below 3' to 5'. The numbers are from Bio.SeqUtils.MeltingTemp of
// Biopython 1.88, which names the papers (DNA_NN3, DNA_NN4, DNA_IMM1 and DNA_TMM1).

// stacksOf1998 are the unified parameters: Allawi and SantaLucia (1997), Biochemistry 36,
// 10581-10594; SantaLucia (1998), PNAS 95, 1460-1465.
var stacksOf1998 = []string{
	"AA/TT -7.9 -22.2", "AT/TA -7.2 -20.4", "TA/AT -7.2 -21.3", "CA/GT -8.5 -22.7",
	"GT/CA -8.4 -22.4", "CT/GA -7.8 -21", "GA/CT -8.2 -22.2", "CG/GC -10.6 -27.2",
	"GC/CG -9.8 -24.4", "GG/CC -8 -19.9",
}

// stacksOf2004 are from SantaLucia and Hicks (2004), Annu Rev Biophys Biomol Struct 33, 415-440.
var stacksOf2004 = []string{
	"AA/TT -7.6 -21.3", "AT/TA -7.2 -20.4", "TA/AT -7.2 -21.3", "CA/GT -8.5 -22.7",
	"GT/CA -8.4 -22.4", "CT/GA -7.8 -21", "GA/CT -8.2 -22.2", "CG/GC -10.6 -27.2",
	"GC/CG -9.8 -24.4", "GG/CC -8 -19.9",
}

// internalMismatches are from Allawi and SantaLucia (1997), Biochemistry 36, 10581-10594 (G.T),
// (1998), Biochemistry 37, 2170-2179 (G.A), 37, 9435-9444 (A.C), Nucleic Acids Res 26, 2694-2701
// (C.T), and Peyret et al. (1999), Biochemistry 38, 3468-3477 (A.A, C.C, G.G, T.T).
var internalMismatches = []string{
	"AG/TT 1 0.9", "AT/TG -2.5 -8.3", "CG/GT -4.1 -11.7", "CT/GG -2.8 -8", "GG/CT 3.3 10.4",
	"GG/TT 5.8 16.3", "GT/CG -4.4 -12.3", "GT/TG 4.1 9.5", "TG/AT -0.1 -1.7", "TG/GT -1.4 -6.2",
	"TT/AG -1.3 -5.3", "AA/TG -0.6 -2.3", "AG/TA -0.7 -2.3", "CA/GG -0.7 -2.3", "CG/GA -4 -13.2",
	"GA/CG -0.6 -1", "GG/CA 0.5 3.2", "TA/AG 0.7 0.7", "TG/AA 3 7.4", "AC/TT 0.7 0.2",
	"AT/TC -1.2 -6.2", "CC/GT -0.8 -4.5", "CT/GC -1.5 -6.1", "GC/CT 2.3 5.4", "GT/CC 5.2 13.5",
	"TC/AT 1.2 0.7", "TT/AC 1 0.7", "AA/TC 2.3 4.6", "AC/TA 5.3 14.6", "CA/GC 1.9 3.7",
	"CC/GA 0.6 -0.6", "GA/CC 5.2 14.2", "GC/CA -0.7 -3.8", "TA/AC 3.4 8", "TC/AA 7.6 20.2",
	"AA/TA 1.2 1.7", "CA/GA -0.9 -4.2", "GA/CA -2.9 -9.8", "TA/AA 4.7 12.9", "AC/TC 0 -4.4",
	"CC/GC -1.5 -7.2", "GC/CC 3.6 8.9", "TC/AC 6.1 16.4", "AG/TG -3.1 -9.5", "CG/GG -4.9 -15.3",
	"GG/CG -6 -15.8", "TG/AG 1.6 3.6", "AT/TT -2.7 -10.8", "CT/GT -5 -15.8", "GT/CT -2.2 -8.4",
	"TT/AT 0.2 -1.5",
}

// terminalMismatches are from SantaLucia and Peyret (2001), patent application WO 01/94611. The
// second pair is the last one of the duplex.
var terminalMismatches = []string{
	"AA/TA -3.1 -7.8", "TA/AA -2.5 -6.3", "CA/GA -4.3 -10.7", "GA/CA -8 -22.5", "AC/TC -0.1 0.5",
	"TC/AC -0.7 -1.3", "CC/GC -2.1 -5.1", "GC/CC -3.9 -10.6", "AG/TG -1.1 -2.1", "TG/AG -1.1 -2.7",
	"CG/GG -3.8 -9.5", "GG/CG -0.7 -19.2", "AT/TT -2.4 -6.5", "TT/AT -3.2 -8.9",
	"CT/GT -6.1 -16.9", "GT/CT -7.4 -21.2", "AA/TC -1.6 -4", "AC/TA -1.8 -3.8", "CA/GC -2.6 -5.9",
	"CC/GA -2.7 -6", "GA/CC -5 -13.8", "GC/CA -3.2 -7.1", "TA/AC -2.3 -5.9", "TC/AA -2.7 -7",
	"AC/TT -0.9 -1.7", "AT/TC -2.3 -6.3", "CC/GT -3.2 -8", "CT/GC -3.9 -10.6", "GC/CT -4.9 -13.5",
	"GT/CC -3 -7.8", "TC/AT -2.5 -6.3", "TT/AC -0.7 -1.2", "AA/TG -1.9 -4.4", "AG/TA -2.5 -5.9",
	"CA/GG -3.9 -9.6", "CG/GA -6 -15.5", "GA/CG -4.3 -11.1", "GG/CA -4.6 -11.4", "TA/AG -2 -4.7",
	"TG/AA -2.4 -5.8", "AG/TT -3.2 -8.7", "AT/TG -3.5 -9.4", "CG/GT -3.8 -9", "CT/GG -6.6 -18.7",
	"GG/CT -5.7 -15.9", "GT/CG -5.9 -16.1", "TG/AT -3.9 -10.5", "TT/AG -3.6 -9.8",
}
