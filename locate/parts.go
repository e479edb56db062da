package locate

// LeastPart is the least number of bases of a part.
const LeastPart = 50
