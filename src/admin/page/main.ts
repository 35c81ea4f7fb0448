/** Entry point of the status page: connects its parts to the document. */
import type { ServiceStatus } from '../../observe/status.ts';
import type { ServiceProblem, ServiceVerdict } from '../../observe/verdict.ts';
import { ConsolePanel } from './console/panel.ts';
import { findById, setAttribute, setText } from './dom.ts';
import { Feed, type FeedState } from './feed.ts';
import { formatSpan, formatTime } from './format.ts';
import { HeadlineView } from './headline-view.ts';
import { KeyedList } from './keyed-list.ts';
import { KeysPanel } from './keys/keys-panel.ts';
import { NetworkCard } from './network-card.ts';
import type { NetworkView } from './network-facts.ts';
import { Overview } from './overview.ts';
import { describeHeadline } from './page-state.ts';
import { createErrorTable, createProcessTable, createUsageTable } from './tables.ts';

const headline: HeadlineView = new HeadlineView();
const overview: Overview = new Overview();
const usage = createUsageTable();
const errors = createErrorTable();
const processes = createProcessTable();
const keysPanel: KeysPanel = new KeysPanel(document.body.dataset['adminApi'] === 'on');
const consolePanel: ConsolePanel = new ConsolePanel();
findById('overview').append(overview.root);
findById('usage').append(usage.root);
findById('errors').append(errors.root);
findById('keys').append(keysPanel.root);
findById('processes').append(processes.root);
findById('console').append(consolePanel.root);

const networks: KeyedList<NetworkView> = new KeyedList(
  findById('networks'),
  ({ network }) => network.name,
  () => new NetworkCard(),
);

let verdict: ServiceVerdict | undefined;
let heardAt: number = Date.now();

function showStatus(status: ServiceStatus): void {
  const { at } = status;
  verdict = status.verdict;
  heardAt = Date.now();
  setText(findById('version'), `version ${status.version}, up ${formatSpan(at - status.startedAt)}`);
  setText(findById('time'), formatTime(at));
  overview.update(status);
  networks.update(status.networks.map((network) => ({ network, at, problems: findOf(network.name) })));
  usage.update(status.keys.toSorted((one, other) => other.calls - one.calls));
  errors.update(status.errors);
  processes.update(status.processes.map((process) => ({ process, at })));
  keysPanel.setNetworks(status.networks);
  consolePanel.setNetworks(status.networks);
  showState('live');
}

function findOf(network: string): readonly ServiceProblem[] {
  return verdict?.problems.filter((problem) => problem.network === network) ?? [];
}

function showState(feed: FeedState): void {
  headline.update(describeHeadline({ feed, verdict, heardAt }));
  setAttribute(document.body, 'data-state', feed);
}

new Feed({ onStatus: showStatus, onState: showState }).start();
void consolePanel.load();
