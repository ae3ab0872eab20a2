/** Capacity is counted in half units; sums of them are exact as integers. */
export function halves(units: string): number {
  const [whole = "0", fraction = ""] = units.split(".");
  return Number(whole) * 2 + (fraction.startsWith("5") ? 1 : 0);
}

export function fromHalves(n: number): string {
  return n % 2 === 0 ? String(n / 2) : `${Math.floor(n / 2)}.5`;
}
