import type { Chain } from '../../src/chain/chain.ts';

/** A chain with latency: requests of one turn of the event loop are one round and are answered turns later; `rounds` counts the rounds so far. */
export type DistantChain = { readonly chain: Chain; readonly rounds: () => number };

/** Whether the operation needs no request, as in a pool: the headers of tags. */
function isNear(name: string, parameter: unknown): boolean {
  return name === 'getHeader' && (parameter as { readonly kind: string }).kind === 'tag';
}

/** Counts the rounds of waiting for the chain: requests of one turn of the event loop are one round. */
export function countRounds(chain: Chain): DistantChain {
  let rounds = 0;
  let wave: Promise<void> | undefined;
  const travel = (): Promise<void> => {
    wave ??= new Promise((resolve) => {
      rounds++;
      setImmediate(() => {
        wave = undefined;
        resolve();
      });
    });
    return wave;
  };
  /** Delays the operations of the chain itself and those of its readers. */
  const delay = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(_, name: string) {
        const member = target[name as keyof T] as unknown;
        if (typeof member === 'object' && member !== null) return delay(member);
        if (typeof member !== 'function') return member;
        return async (...parameters: unknown[]): Promise<unknown> => {
          if (!isNear(name, parameters[0])) await travel();
          return member.apply(target, parameters);
        };
      },
    });
  return { chain: delay(chain), rounds: () => rounds };
}
