import type { JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import type { Chain } from '../chain/chain.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { type AnswerMembers, parseAnswer, readCount, readMembers } from './answers.ts';

/** Returns a method's result as JSON; undefined if the chain does not have the method, or the result is `null`. */
export async function requestValue(
  chain: Pick<Chain, 'request'>,
  method: string,
  params: readonly unknown[],
  scope: RequestScope,
): Promise<unknown> {
  return parseAnswer(await chain.request(method, params, scope), method);
}

/** Returns a method's result as a number; undefined if it is not a number. */
export async function requestCount(
  chain: Pick<Chain, 'request'>,
  method: string,
  params: readonly unknown[],
  scope: RequestScope,
): Promise<bigint | undefined> {
  return readCount(await requestValue(chain, method, params, scope));
}

/** Returns the members of a method's result; empty if it is not an object. */
export async function requestObject(
  chain: Pick<Chain, 'request'>,
  method: string,
  params: readonly unknown[],
  scope: RequestScope,
): Promise<AnswerMembers> {
  return readMembers({ answer: await requestValue(chain, method, params, scope) }, 'answer');
}

/** Returns the chain's gas price in wei; undefined if the chain has none. */
export async function requestGasPrice(
  chain: Pick<Chain, 'fees'>,
  scope: RequestScope,
): Promise<bigint | undefined> {
  return readPrice(await chain.fees.getGasPrice(scope));
}

/** Returns the chain's suggested priority fee in wei per gas; undefined if the chain has none. */
export async function requestPriorityFee(
  chain: Pick<Chain, 'fees'>,
  scope: RequestScope,
): Promise<bigint | undefined> {
  return readPrice(await chain.fees.getPriorityFee(scope));
}

function readPrice(answer: JsonText | null): bigint | undefined {
  return answer === null ? undefined : readCount(JSON.parse(answer));
}
