import type { TextAnswer } from '../gateway/answer.ts';
import type { HealthOptions } from './options.ts';

/** Which networks can be asked, and which cannot, by name. */
export type NetworkReadiness = {
  readonly answerable: readonly string[];
  /** With the reason of each. */
  readonly unanswerable: Readonly<Record<string, string>>;
};

const NO_NETWORKS: NetworkReadiness = { answerable: [], unanswerable: {} };
const LIVE: TextAnswer = { status: 200, body: '{"status":"live"}' };
const READY: TextAnswer = { status: 200, body: '{"status":"ready"}' };
const DRAINING: TextAnswer = { status: 503, body: '{"status":"draining"}' };

/** What load balancers and orchestrators ask: whether to restart this process, and whether to send it requests. */
export class Health {
  readonly #needsAll: boolean;
  readonly #readNetworks: () => NetworkReadiness;
  #isDraining = false;

  /** @param readNetworks asked for every probe */
  constructor(
    { ready }: HealthOptions = { ready: 'any' },
    readNetworks: () => NetworkReadiness = () => NO_NETWORKS,
  ) {
    this.#needsAll = ready === 'all';
    this.#readNetworks = readNetworks;
  }

  /** From now on it is not ready, though requests are still answered. */
  beginDraining(): void {
    this.#isDraining = true;
  }

  /** That this is answered is the answer. */
  get live(): TextAnswer {
    return LIVE;
  }

  get ready(): TextAnswer {
    if (this.#isDraining) return DRAINING;
    const { answerable, unanswerable } = this.#readNetworks();
    const networks = Object.keys(unanswerable);
    if (networks.length === 0) return READY;
    if (!this.#needsAll && answerable.length > 0)
      return { status: 200, body: JSON.stringify({ status: 'ready', down: unanswerable }) };
    return { status: 503, body: JSON.stringify({ status: 'unready', networks, down: unanswerable }) };
  }
}
