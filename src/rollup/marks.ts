/** Constructors of family marks (properties that distinguish a rollup family), strongest kind first. */
import type { FamilyMark } from './evidence.ts';
import { KNOWN_CHAINS } from './known-chains.ts';

type ContractMark = {
  readonly address: string;
  /** Selector of a function without parameters. */
  readonly selector: string;
  /** Name of the function with parentheses, such as `decimals()`. */
  readonly call: string;
  /** Expected result; if absent, any result is accepted. */
  readonly word?: bigint;
  readonly isNeeded?: true;
};

/** Creates a mark: a contract of the chain answers a call. */
export function contractMark({ address, selector, call, word, isNeeded }: ContractMark): FamilyMark {
  return {
    kind: 'contract',
    says: `${call} of ${address} ${word === undefined ? 'answers' : `is ${word}`}`,
    ...(isNeeded && { isNeeded }),
    async see(probe) {
      const answer = await probe.callContract(address, selector);
      return answer !== undefined && (word === undefined || answer === word);
    },
  };
}

/** Creates a mark: the latest header has a form that only this family has. */
export function headerMark(
  says: string,
  isSuch: (header: Readonly<Record<string, unknown>>) => boolean,
): FamilyMark {
  return { kind: 'header', says, see: async (probe) => isSuch(await probe.readHeader()) };
}

/** Creates a mark: the client name belongs to a program of this family. */
export function clientMark(name: RegExp): FamilyMark {
  return {
    kind: 'client',
    says: `web3_clientVersion matches ${name.source}`,
    see: async (probe) => name.test(await probe.readClient()),
  };
}

/** Creates a mark: the chain id is in the table of known chains. */
export function chainIdMark(family: string): FamilyMark {
  const ids = new Set((KNOWN_CHAINS[family] ?? []).map(({ id }) => BigInt(id)));
  return {
    kind: 'chainId',
    says: `the chain id is one of ${family} chains`,
    see: async ({ chainId }) => ids.has(chainId),
  };
}

/** Creates a mark: the node has a method that only nodes of this family have. */
export function methodMark(method: string): FamilyMark {
  return { kind: 'method', says: `the node has ${method}`, see: (probe) => probe.hasMethod(method) };
}
