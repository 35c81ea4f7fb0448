import type { Logger } from '../observe/logger.ts';
import type { Clock } from '../util/clock.ts';
import { Console } from './console.ts';
import { Routes } from './routes.ts';
import type { AdminSources } from './sources.ts';
import { StatusFeed } from './status-feed.ts';

/** Parts of the admin server that are loaded with its first request. */
export type Backstage = { readonly feed: StatusFeed; readonly routes: Routes };

export type BackstageParts = {
  readonly sources: AdminSources;
  /** Whether the admin server serves the Admin API. */
  readonly hasAdminApi: boolean;
  readonly log: Logger;
  readonly clock: Clock;
};

/** Creates the status feed, the console and the routes of the admin server. */
export function openBackstage({ sources, hasAdminApi, log, clock }: BackstageParts): Backstage {
  const feed = new StatusFeed({ compute: () => sources.status(), log, clock });
  const console = new Console(
    (signal) => sources.service.connect(signal),
    () => feed.read(),
  );
  return { feed, routes: new Routes({ sources, feed, console, hasAdminApi }) };
}
