/** Marks of families, from the strongest kind to the weakest. */
import type { FamilyMark } from './evidence.ts';
import { KNOWN_CHAINS } from './known-chains.ts';

type ContractMark = {
  readonly address: string;
  /** The function takes no parameters. */
  readonly selector: string;
  /** Its name with brackets. */
  readonly call: string;
  /** Its answer; by default any. */
  readonly word?: bigint;
  readonly isNeeded?: true;
};

/** A contract of the chain answers a call. */
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

/** The latest header has a form that only headers of the family have. */
export function headerMark(
  says: string,
  isSuch: (header: Readonly<Record<string, unknown>>) => boolean,
): FamilyMark {
  return { kind: 'header', says, see: async (probe) => isSuch(await probe.readHeader()) };
}

/** The node's name is one of programs of the family. */
export function clientMark(name: RegExp): FamilyMark {
  return {
    kind: 'client',
    says: `web3_clientVersion is like ${name.source}`,
    see: async (probe) => name.test(await probe.readClient()),
  };
}

/** The chain id is in the table of known chains. */
export function chainIdMark(family: string): FamilyMark {
  const ids = new Set((KNOWN_CHAINS[family] ?? []).map(({ id }) => BigInt(id)));
  return {
    kind: 'chainId',
    says: `the chain id is one of ${family} chains`,
    see: async ({ chainId }) => ids.has(chainId),
  };
}

/** The node has a method that only nodes of the family have. */
export function methodMark(method: string): FamilyMark {
  return { kind: 'method', says: `the node has ${method}`, see: (probe) => probe.hasMethod(method) };
}
