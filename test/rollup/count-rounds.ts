import type { Chain } from '../../src/chain/chain.ts';

/** A chain far away: what is asked in the same turn travels together, and is answered turns later. */
export type DistantChain = { readonly chain: Chain; readonly rounds: () => number };

/** What is known without asking, as in a pool: the headers that tags mean. */
function isNear(name: string, parameter: unknown): boolean {
  return name === 'getHeader' && (parameter as { readonly kind: string }).kind === 'tag';
}

/** Counts how often one has to wait for the chain: questions of one turn are one round. */
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
  /** Operations of the chain itself, and those of its readers. */
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
