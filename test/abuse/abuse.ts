import type { Seen } from './attack/seen.ts';

/** The key that the abuser asks with: limited to a rate, without a limit, or none that opens. */
export type AbuserKey = 'rated' | 'unlimited' | 'none';

/** Where the attackers find the service. */
export type Target = {
  readonly port: number;
  readonly key: string;
  /** The abuser's address; that of the neighbour is another. */
  readonly address: string;
  readonly isSecure: boolean;
};

/** What the clients of an abuse work with. They end when `signal` is aborted. */
export type Attacker = {
  readonly target: Target;
  readonly seen: Seen;
  readonly signal: AbortSignal;
};

/**
 * How an abuse has to be charged:
 * - `body`: each body costs the key's rate: a key with two calls has its later bodies refused (429)
 * - `calls`: what is answered is counted as calls and credits of the key, or refused for its limits
 * - `refused`: the service refuses or closes what exceeds a bound
 * - `nothing`: without a key there is nothing to charge, and no bound need be met
 */
export type Charge = 'body' | 'calls' | 'refused' | 'nothing';

/** One way to take the service from others. */
export type Abuse = {
  readonly name: string;
  readonly family: string;
  readonly transport: 'HTTP' | 'WebSocket' | 'TCP' | 'TLS';
  readonly key: AbuserKey;
  readonly charge: Charge;
  /** How long each attack lasts; by default what the run says. Milliseconds. */
  readonly ms?: number;
  /** Of what it sends in a round, so much has to have been sent: with less it was not tested. By default 4. */
  readonly least?: number;
  /** Whether the short form in `npm test` has it. */
  readonly isShort?: boolean;
  /** Begins it; it goes on until the attacker's signal. */
  begin(attacker: Attacker): void | Promise<void>;
  /** One body of it, where each is charged by itself. */
  readonly makeProbe?: () => Probe;
};

/** One request of an abuse, sent alone to see whether it is charged. */
export type Probe = {
  readonly transport: 'HTTP' | 'WebSocket';
  readonly host: string;
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
};
