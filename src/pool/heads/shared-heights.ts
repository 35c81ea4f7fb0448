import { randomUUID } from 'node:crypto';
import { ChainError } from '../../chain/errors.ts';
import {
  HEIGHT_LEASE_MS,
  HEIGHT_SLACK_MS,
  type HeightTable,
  type OtherHeights,
} from '../../shared-store/records/height-table.ts';
import type { Clock } from '../../util/clock.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { FloorTrust, type FloorTrustOptions } from './floor-trust.ts';

/** Maximum time for which a request waits for a head that another process serves, ms. */
const WAIT_LIMIT_MS = 2_000;
/** Interval between checks of the table and the nodes while requests wait, ms. */
const LOOK_MS = 20;
/** Pause between requests to an unavailable height table, ms. */
const AWAY_MS = 250;

export type SharedHeightsOptions = {
  readonly table: HeightTable;
  /** Returns the name of the chain in the table. */
  readonly name: () => string;
  readonly clock: Clock;
  /** Returns the height of the head that this process serves. */
  readonly height: () => bigint | undefined;
  /** Requests the current heads from the nodes. */
  readonly refresh: () => Promise<void>;
  /** Called when a height that `admits` refused may be served. */
  readonly onAdmitted: () => void;
} & Pick<FloorTrustOptions, 'onLost' | 'onRegained'>;

/**
 * Prevents clients from seeing the head go back when different processes answer them. No process may read a head that is lower than a head that
 * another process has already served. A process announces the height of a new head in a shared table. The process serves the new head once every
 * reply that other processes had read from the table before has expired (`HEIGHT_LEASE_MS`). When the last reply of the table has expired, a process
 * reads the table again before it reads its head. If the head of another process is higher, the process waits. While the table is unavailable, or
 * while its nodes do not confirm the heights of other processes (`FloorTrust`), a process uses only its own nodes.
 */
export class SharedHeights {
  readonly #options: SharedHeightsOptions;
  readonly #id = randomUUID();
  readonly #trust: FloorTrust;
  /** Highest height that may be served by this process. */
  #admitted = -1n;
  /** Height that was announced to other processes and may not be served before they know it. */
  #announced: bigint | undefined;
  /** Highest height that another process serves; -1 if none is known. */
  #floor = -1n;
  /** Heights that other processes have announced, each with the earliest time at which it may be served, in ms of `Clock.now()`. */
  #rising: readonly { readonly height: bigint; readonly at: number }[] = [];
  /**
   * End of the lease on the last reply of the table, in ms of `Clock.now()`. Until the lease ends, no process serves a height that this process does
   * not know.
   */
  #heldUntil = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;
  #following: Promise<void> | undefined;
  #refreshing: Promise<void> | undefined;
  readonly #waiting = new Set<() => void>();
  #cancel: () => void = () => {};
  #isClosed = false;

  constructor(options: SharedHeightsOptions) {
    this.#options = options;
    const { onLost, onRegained } = options;
    this.#trust = new FloorTrust({ promptMs: WAIT_LIMIT_MS, onLost, onRegained });
  }

  /** Highest height that may be served now. */
  get admitted(): bigint {
    return this.#admitted;
  }

  /**
   * Whether a block of this height may be served now. A height that may not be served yet is announced, and `onAdmitted` is called when it may be
   * served.
   */
  admits(height: bigint): boolean {
    if (height <= this.#admitted || this.#isClosed) return true;
    // Only one height is announced at a time, because the table stores one announced height per process.
    if (this.#announced === undefined) this.#announce(height);
    return height <= this.#admitted;
  }

  /** Must be called when the served head has changed. */
  noteServed(): void {
    const height = this.#options.height() ?? -1n;
    this.#trust.noteOwn(height, this.#options.clock.now());
    if (height < this.#admitted) {
      this.#admitted = height;
      this.#announced = undefined;
      this.#cancel();
      void this.#read();
    }
    for (const wake of [...this.#waiting]) wake();
  }

  /** Returns true only if no process can have served a block above this height. The call also renews the lease in the background. */
  isCurrent(height: bigint): boolean {
    const { clock } = this.#options;
    const now = clock.now();
    if (now >= this.#heldUntil - HEIGHT_LEASE_MS / 2 && this.#reading === undefined) void this.#read();
    return now < this.#heldUntil && height >= this.#findFloor(now);
  }

  /**
   * Resolves once the served head is as high as the head of every other process at the time of the call.
   * @throws ChainError `unavailable` if the nodes do not have a head of that height in time
   */
  async catchUp(scope: RequestScope): Promise<void> {
    const { clock, height } = this.#options;
    const until = clock.now() + WAIT_LIMIT_MS;
    await this.#readAgain();
    const floor = this.#findFloor(clock.now());
    while ((height() ?? -1n) < floor) {
      if (clock.now() >= until || scope.aborted || this.#isClosed)
        throw new ChainError(
          'unavailable',
          `another process serves block ${floor}, which the nodes do not confirm here yet: send the request again`,
        );
      this.#refresh();
      await this.#waitForChange();
      // A reorg may have lowered the heads of the other processes, so their heights are read again.
      await this.#readAgain();
      if (this.#findFloor(clock.now()) < floor) return;
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
    for (const wake of [...this.#waiting]) wake();
  }

  /** Returns the higher of the height of the served head and the admitted height. */
  #findServed(): bigint | undefined {
    const height = this.#options.height();
    const isAbove = this.#admitted >= 0n && (height === undefined || this.#admitted > height);
    return isAbove ? this.#admitted : height;
  }

  /** Returns the highest height that other processes serve; -1 if this process does not wait for them. */
  #findFloor(now: number): bigint {
    for (const { height, at } of this.#rising) if (now >= at && height > this.#floor) this.#floor = height;
    return this.#trust.isTrusted(this.#floor, this.#options.height() ?? -1n, now) ? this.#floor : -1n;
  }

  #announce(height: bigint): void {
    this.#announced = height;
    this.#cancel();
    const take = (others: OtherHeights | undefined): void => {
      if (this.#announced !== height || this.#isClosed) return;
      const waitMs = others === undefined ? 0 : findWait(others, height);
      if (waitMs <= 0) this.#admit(height);
      else {
        this.#cancel = this.#options.clock.schedule(() => {
          this.#admit(height);
          this.#options.onAdmitted();
        }, waitMs);
      }
    };
    const others = this.#exchange();
    if (!(others instanceof Promise)) take(others);
    else
      void others.then((reply) => {
        take(reply);
        if (height <= this.#admitted) this.#options.onAdmitted();
      });
  }

  #admit(height: bigint): void {
    this.#admitted = height;
    this.#announced = undefined;
  }

  /** Reads the heights of other processes from the table; returns undefined if the table replied synchronously. */
  #read(): Promise<void> | undefined {
    const others = this.#exchange();
    if (!(others instanceof Promise)) return undefined;
    const reading = others.then(() => {
      if (this.#reading === reading) this.#reading = undefined;
    });
    this.#reading = reading;
    return reading;
  }

  /** Reads the heights with a new request: the reply to a request that is in flight may have been made before this call. */
  #readAgain(): Promise<void> | undefined {
    if (this.#reading === undefined) return this.#read();
    this.#following ??= this.#reading.then(() => {
      this.#following = undefined;
      return this.#read();
    });
    return this.#following;
  }

  #exchange(): OtherHeights | undefined | Promise<OtherHeights | undefined> {
    const { table, name, clock } = this.#options;
    const sentAt = clock.now();
    const served = this.#findServed();
    const announced = this.#announced ?? served;
    const reply = table.exchange(name(), this.#id, {
      served: served === undefined ? undefined : Number(served),
      announced: announced === undefined ? undefined : Number(announced),
    });
    const take = (others: OtherHeights | undefined): OtherHeights | undefined => {
      this.#receive(others, sentAt);
      return others;
    };
    return reply instanceof Promise ? reply.then(take) : take(reply);
  }

  #receive(others: OtherHeights | undefined, sentAt: number): void {
    this.#rising = [];
    if (others === undefined) {
      this.#floor = -1n;
      this.#heldUntil = sentAt + AWAY_MS;
      return;
    }
    this.#heldUntil = sentAt + HEIGHT_LEASE_MS;
    const { served = -1, rising } = others;
    this.#floor = BigInt(served);
    this.#rising = rising.map(({ height, ageMs }) => ({
      height: BigInt(height),
      at: sentAt + HEIGHT_LEASE_MS - ageMs,
    }));
  }

  #refresh(): void {
    this.#refreshing ??= this.#options
      .refresh()
      .catch(() => {})
      .finally(() => {
        this.#refreshing = undefined;
      });
  }

  #waitForChange(): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel();
        this.#waiting.delete(wake);
        resolve();
      };
      const cancel = this.#options.clock.schedule(wake, LOOK_MS);
      this.#waiting.add(wake);
    });
  }
}

/** Returns the time that must pass after this reply of the table before a block of this height may be served, ms. */
function findWait({ served, rising, hasReaders }: OtherHeights, height: bigint): number {
  if (!hasReaders) return 0;
  if (served !== undefined && BigInt(served) >= height) return HEIGHT_SLACK_MS;
  const ages = rising.map((other) => (BigInt(other.height) >= height ? other.ageMs : 0));
  return HEIGHT_LEASE_MS + HEIGHT_SLACK_MS - Math.max(0, ...ages);
}
