import type { Chain } from '../../src/chain/chain.ts';
import { UNSUPPORTED } from '../../src/chain/errors.ts';

/** The readers of a chain. */
type Readers = Omit<Chain, 'chainId' | 'findChainId' | 'isAnswerable' | 'request' | 'close'>;

/** Operations that a fake chain has; each reader may lack some. */
export type FakeChainParts = { readonly [K in keyof Readers]?: Partial<Readers[K]> } & Partial<
  Pick<Chain, 'chainId' | 'isAnswerable' | 'request' | 'close'>
>;

/** Operations that a real chain may lack. */
const OPTIONAL: ReadonlySet<string> = new Set(['callMany', 'callFastPath']);

/** Creates a chain with the operations that a test needs; using any other mandatory operation fails the test. */
export function createFakeChain(parts: FakeChainParts): Chain {
  const own = {
    chainId: 1337n,
    isAnswerable: true,
    request: () => UNSUPPORTED,
    close: async () => {},
    ...parts,
  };
  return new Proxy(own, {
    get: (target, name: string) => {
      const member = target[name as keyof typeof own];
      if (name === 'then' || name === 'findChainId' || (name === 'pass' && !(name in target)))
        return undefined;
      if (member !== undefined && (typeof member !== 'object' || member === null)) return member;
      return member === undefined && name in target ? undefined : fillReader(name, member ?? {});
    },
  }) as unknown as Chain;
}

function fillReader(reader: string, operations: object): object {
  return new Proxy(operations, {
    get: (target, name: string) =>
      name in target || OPTIONAL.has(name)
        ? target[name as keyof typeof target]
        : () => {
            throw new Error(`unexpected ${reader}.${name}`);
          },
  });
}
