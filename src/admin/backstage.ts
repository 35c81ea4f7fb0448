import type { Logger } from '../observe/logger.ts';
import type { Clock } from '../util/clock.ts';
import { Console } from './console.ts';
import { Routes } from './routes.ts';
import { ServiceClient } from './service-client.ts';
import type { AdminSources } from './sources.ts';
import { StatusFeed } from './status-feed.ts';

/** All that is needed once somebody looks. */
export type Backstage = { readonly feed: StatusFeed; readonly routes: Routes };

export function openBackstage(sources: AdminSources, log: Logger, clock: Clock): Backstage {
  const feed = new StatusFeed({ compute: () => sources.status(), log, clock });
  const console = new Console(new ServiceClient(sources.service), () => feed.read());
  return { feed, routes: new Routes({ sources, feed, console }) };
}
