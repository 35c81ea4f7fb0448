import type { TextAnswer } from '../gateway/answer.ts';
import type { HealthOptions } from './options.ts';

/** Names of the networks that can answer, and of the networks that cannot. */
export type NetworkReadiness = {
  readonly answerable: readonly string[];
  /** Reason by network name. */
  readonly unanswerable: Readonly<Record<string, string>>;
};

const NO_NETWORKS: NetworkReadiness = { answerable: [], unanswerable: {} };
const LIVE: TextAnswer = { status: 200, body: '{"status":"live"}' };
const READY: TextAnswer = { status: 200, body: '{"status":"ready"}' };
const DRAINING: TextAnswer = { status: 503, body: '{"status":"draining"}' };

/** Answers to liveness and readiness probes: whether this process must be restarted, and whether requests may be routed to it. */
export class ServiceHealth {
  readonly #needsAll: boolean;
  readonly #readNetworks: () => NetworkReadiness;
  #isDraining = false;

  /** @param readNetworks called for every probe */
  constructor(
    { ready }: HealthOptions = { ready: 'any' },
    readNetworks: () => NetworkReadiness = () => NO_NETWORKS,
  ) {
    this.#needsAll = ready === 'all';
    this.#readNetworks = readNetworks;
  }

  /** Makes the service report that it is not ready, although requests are still answered. */
  beginDraining(): void {
    this.#isDraining = true;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Always live: any response shows that the process runs. */
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
