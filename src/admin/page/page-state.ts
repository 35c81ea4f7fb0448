import type { ServiceProblem, ServiceVerdict, VerdictState } from '../../observe/verdict.ts';
import type { FeedState } from './feed.ts';
import { formatTime } from './format.ts';

/** State in the headline, the title and the icon of the page: the verdict of the service, or the lack of a connection. */
export type PageState = VerdictState | 'connecting' | 'lost';

/** Text at the top of the page, and the reasons below it. */
export type Headline = {
  readonly state: PageState;
  readonly text: string;
  readonly problems: readonly ServiceProblem[];
};

export type HeadlineFacts = {
  readonly feed: FeedState;
  /** Last verdict that was received. */
  readonly verdict: ServiceVerdict | undefined;
  /** Time of the last message of the service, or of the opening of the page if there was none, Unix ms. */
  readonly heardAt: number;
};

/** Without a connection, the headline makes no claim about the service, because nothing is known about it. */
export function describeHeadline({ feed, verdict, heardAt }: HeadlineFacts): Headline {
  if (feed === 'lost') {
    const text = `No connection to the service since ${formatTime(heardAt)}`;
    const reason = 'everything below is as it was then';
    return { state: 'lost', text, problems: verdict === undefined ? [] : [{ kind: 'outage', reason }] };
  }
  if (verdict === undefined) return { state: 'connecting', text: 'Connecting to the service…', problems: [] };
  const { state, summary: text, problems } = verdict;
  return { state, text, problems };
}
