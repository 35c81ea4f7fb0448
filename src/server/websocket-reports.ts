import type { Visitor } from '../gateway/visitor.ts';
import type { RequestObserver } from '../observe/request-observer.ts';
import type { RequestReport } from '../observe/request-report.ts';
import type { CountedPieces } from './piece-writer.ts';

/** Reports on the messages of one WebSocket; each report ends exactly once. */
export class WebSocketReports {
  readonly #requests: RequestObserver | undefined;
  readonly #visitor: Visitor;
  /** Functions that end the reports of unfinished streams as incomplete. */
  readonly #unsent = new Set<() => void>();

  /** @param visitor facts about the client at the upgrade */
  constructor(requests: RequestObserver | undefined, visitor: Visitor) {
    this.#requests = requests;
    this.#visitor = visitor;
  }

  /** @param now current time on the clock of `performance.now()` */
  begin(bytes: number, now: number): RequestReport | undefined {
    const report = this.#requests?.begin('websocket', this.#visitor, now);
    if (report !== undefined) report.requestBytes = bytes;
    return report;
  }

  /**
   * @param bytes size of the answer
   * @param isSent whether the answer was sent completely
   */
  end(report: RequestReport | undefined, bytes: number, isSent: boolean, wasWaitedFor: boolean): void {
    if (report === undefined) return;
    report.responseBytes = bytes;
    report.isFinished = isSent;
    this.#requests?.end(report, wasWaitedFor);
  }

  /** Tracks the report of a streamed answer. @returns a function that must be called when all pieces of the answer are sent */
  trackStream(report: RequestReport | undefined, pieces: CountedPieces): () => void {
    const giveUp = (): void => this.end(report, pieces.bytes, false, true);
    this.#unsent.add(giveUp);
    return () => {
      if (this.#unsent.delete(giveUp)) this.end(report, pieces.bytes, true, true);
    };
  }

  /** Ends the reports of all unfinished streams as incomplete. */
  giveUpStreams(): void {
    for (const giveUp of this.#unsent) giveUp();
    this.#unsent.clear();
  }
}
