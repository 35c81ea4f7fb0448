import type { Seen } from './attack/seen.ts';

/** Key of the abuser: limited to a rate, without a limit, or one that is not valid. */
export type AbuserKey = 'rated' | 'unlimited' | 'none';

/** Address of the service for the attackers. */
export type Target = {
  readonly port: number;
  readonly key: string;
  /** Source address of the abuser; the neighbour uses another one. */
  readonly address: string;
  readonly isSecure: boolean;
};

/** Environment of an abuse's clients. They stop when `signal` is aborted. */
export type Attacker = {
  readonly target: Target;
  readonly seen: Seen;
  readonly signal: AbortSignal;
};

/**
 * Expected charge for an abuse:
 * - `body`: each body costs the key's rate: a key with two calls has its later bodies refused (429)
 * - `calls`: answers are counted as calls and credits of the key, or refused for its limits
 * - `refused`: the service refuses or closes whatever exceeds a bound
 * - `nothing`: without a key there is nothing to charge, and no bound has to be reached
 */
export type Charge = 'body' | 'calls' | 'refused' | 'nothing';

/** One way to deny the service to other clients. */
export type Abuse = {
  readonly name: string;
  readonly family: string;
  readonly transport: 'HTTP' | 'WebSocket' | 'TCP' | 'TLS';
  readonly key: AbuserKey;
  readonly charge: Charge;
  /** Duration of each attack, milliseconds; by default that of the run. */
  readonly ms?: number;
  /** Least number of sends per round; with fewer the abuse counts as not tested. Default 4. */
  readonly least?: number;
  /** Whether the short form in `npm test` includes it. */
  readonly isShort?: boolean;
  /** Starts the abuse, which continues until the attacker's signal aborts. */
  begin(attacker: Attacker): void | Promise<void>;
  /** Makes one body of the abuse, present where each body is charged separately. */
  readonly makeProbe?: () => Probe;
};

/** One request of an abuse, sent alone to check that it is charged. */
export type Probe = {
  readonly transport: 'HTTP' | 'WebSocket';
  readonly host: string;
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
};
