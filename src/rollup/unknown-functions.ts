/** Detects forks that this version does not know, by the functions that they add to contracts. */

import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import type { JsonResult } from '../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../packages/ethereum/primitives/promise-or-value.ts';
import type { Chain } from '../chain/chain.ts';
import type { BlockReference } from '../chain/requests.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { readData } from './answers.ts';

/** Pricing contract, and its functions in all known forks. */
export type KnownOracle = {
  readonly address: string;
  /** Function selectors: `0x` and four bytes each. */
  readonly selectors: ReadonlySet<string>;
};

const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };
/** Storage slot in which a proxy stores the address of its implementation (EIP-1967). */
const IMPLEMENTATION_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';
const ADDRESS_BYTES = 20;
const PUSH1 = 0x60;
const PUSH4 = 0x63;
const PUSH32 = 0x7f;
const DUP1 = 0x80;
const DUP16 = 0x8f;
const EQ = 0x14;

/**
 * Lists the unknown selectors in the dispatcher of an oracle, or of its implementation if the oracle is a proxy.
 * @throws ChainError if the chain cannot be reached
 */
export async function findUnknownFunctions(
  chain: Chain,
  { address, selectors }: KnownOracle,
  scope: RequestScope,
): Promise<readonly string[]> {
  const readCode = async (at: string): Promise<readonly string[]> =>
    listSelectors(await readBytes(chain.state.getCode(at, LATEST, scope)));
  const slot = await readBytes(chain.state.getStorageAt(address, IMPLEMENTATION_SLOT, LATEST, scope));
  const implementation = bytesToHex(slot.subarray(-ADDRESS_BYTES));
  const found = await readCode(/^0x0*$/.test(implementation) ? address : implementation);
  return found.filter((selector) => !selectors.has(selector));
}

async function readBytes(answer: PromiseOrValue<JsonResult>): Promise<Uint8Array> {
  return readData(await answer, 'no code or slot');
}

/** Lists the selectors with which the code's dispatcher compares: `PUSH4 selector (DUP) EQ`. */
export function listSelectors(code: Uint8Array): readonly string[] {
  const selectors = new Set<string>();
  for (let at = 0; at < code.length; ) {
    const opcode = code[at] as number;
    if (opcode === PUSH4) {
      const next = code[at + 5] as number;
      const compare = next >= DUP1 && next <= DUP16 ? code[at + 6] : next;
      if (compare === EQ) selectors.add(bytesToHex(code.subarray(at + 1, at + 5)));
    }
    at += opcode >= PUSH1 && opcode <= PUSH32 ? opcode - PUSH1 + 2 : 1;
  }
  return [...selectors];
}
