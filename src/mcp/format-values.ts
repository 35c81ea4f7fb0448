/** Formats values of JSON-RPC for readers: decimal numbers, and ether and gwei beside wei. */
import * as Value from 'ox/Value';

/** Returns a quantity as a decimal text; null for any other value. */
export function toDecimal(quantity: unknown): string | null {
  return typeof quantity === 'string' ? BigInt(quantity).toString() : null;
}

/** Returns a quantity that is far below 2^53, such as an index, a block number or gas, as a number; null for any other value. */
export function toNumber(quantity: unknown): number | null {
  return typeof quantity === 'string' ? Number(BigInt(quantity)) : null;
}

/** Returns an amount in wei and in ether. */
export function describeWei(wei: bigint): { readonly wei: string; readonly ether: string } {
  return { wei: wei.toString(), ether: Value.formatEther(wei) };
}

/** Returns a price of gas in gwei; null if it is absent. */
export function toGwei(price: unknown): string | null {
  return typeof price === 'string' ? Value.formatGwei(BigInt(price)) : null;
}

/** Returns an amount of a token in whole tokens. */
export function formatTokens(amount: bigint, decimals: number): string {
  return Value.format(amount, decimals);
}
