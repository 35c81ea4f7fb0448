import type { NetworkOptions } from '../config/network-options.ts';
import { type ChainBackends, type ObservedChain, openChain } from './open-chain.ts';
import { UnopenedChain } from './unopened-chain.ts';

export type OpenEachOptions = {
  /** Returns the chain of this network if it is already open. */
  readonly lend: (name: string, options: NetworkOptions) => ObservedChain | undefined;
  /** Whether the other networks are served if a network cannot be opened. */
  readonly mayBeUnopened: (name: string) => boolean;
  /** Called with each chain as soon as it is open. */
  readonly onOpen: (name: string, chain: ObservedChain) => void;
};

/**
 * Opens the chains of all networks concurrently. If a network cannot be opened and `mayBeUnopened` accepts that, the error is logged and the network
 * gets an `UnopenedChain`.
 * @throws Error if a required network cannot be opened, or if no network can be opened; the error names one of the networks
 */
export async function openEach(
  networks: Readonly<Record<string, NetworkOptions>>,
  backends: ChainBackends,
  { lend, mayBeUnopened, onOpen }: OpenEachOptions,
): Promise<void> {
  const unopened = new Map<string, string>();
  let refusal: Error | undefined;
  await Promise.all(
    Object.entries(networks).map(async ([name, options]) => {
      try {
        onOpen(name, lend(name, options) ?? (await openChain(name, options, backends)));
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        unopened.set(name, reason);
        if (!mayBeUnopened(name) || unopened.size === Object.keys(networks).length)
          refusal ??= new Error(`network ${name}: ${reason}`, { cause: error });
      }
    }),
  );
  if (refusal !== undefined) throw refusal;
  for (const [name, reason] of unopened) {
    backends.log.error(
      { network: name, reason },
      'network could not be opened: its calls are refused, the other networks are served',
    );
    onOpen(name, new UnopenedChain(reason));
  }
}
