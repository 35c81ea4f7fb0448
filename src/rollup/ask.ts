import type { CallScope, Chain } from '../chain/chain.ts';
import { readCount, readValue } from './answers.ts';

/** What a method answers, as JSON; undefined when the chain has no such method, or says `null`. */
export async function askValue(
  chain: Chain,
  method: string,
  params: readonly unknown[],
  scope: CallScope,
): Promise<unknown> {
  return readValue(await chain.request(method, params, scope), method);
}

/** The number that a method answers; undefined when there is none. */
export async function askCount(
  chain: Chain,
  method: string,
  params: readonly unknown[],
  scope: CallScope,
): Promise<bigint | undefined> {
  return readCount(await askValue(chain, method, params, scope));
}

/** The members of the object that a method answers; none where there is no object. */
export async function askObject(
  chain: Chain,
  method: string,
  params: readonly unknown[],
  scope: CallScope,
): Promise<Readonly<Record<string, unknown>>> {
  const value = await askValue(chain, method, params, scope);
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
