import type { Chain } from '../chain/chain.ts';
import type { JsonText } from '../primitives/json-result.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { type Members, readCount, readMembers, readValue } from './answers.ts';

/** What a method answers, as JSON; undefined when the chain has no such method, or says `null`. */
export async function askValue(
  chain: Pick<Chain, 'request'>,
  method: string,
  params: readonly unknown[],
  scope: RequestScope,
): Promise<unknown> {
  return readValue(await chain.request(method, params, scope), method);
}

/** The number that a method answers; undefined when there is none. */
export async function askCount(
  chain: Pick<Chain, 'request'>,
  method: string,
  params: readonly unknown[],
  scope: RequestScope,
): Promise<bigint | undefined> {
  return readCount(await askValue(chain, method, params, scope));
}

/** The members of the object that a method answers; none where there is no object. */
export async function askObject(
  chain: Pick<Chain, 'request'>,
  method: string,
  params: readonly unknown[],
  scope: RequestScope,
): Promise<Members> {
  return readMembers({ answer: await askValue(chain, method, params, scope) }, 'answer');
}

/** The chain's gas price; undefined when it has none. */
export async function askGasPrice(
  chain: Pick<Chain, 'fees'>,
  scope: RequestScope,
): Promise<bigint | undefined> {
  return readPrice(await chain.fees.getGasPrice(scope));
}

/** The priority fee that the chain suggests; undefined when it suggests none. */
export async function askPriorityFee(
  chain: Pick<Chain, 'fees'>,
  scope: RequestScope,
): Promise<bigint | undefined> {
  return readPrice(await chain.fees.getPriorityFee(scope));
}

function readPrice(answer: JsonText | null): bigint | undefined {
  return answer === null ? undefined : readCount(JSON.parse(answer));
}
