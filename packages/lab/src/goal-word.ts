export function goalWord(isMet: boolean): "met" | "missed" {
  return isMet ? "met" : "missed";
}
