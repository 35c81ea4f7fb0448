/** Entry point of the status page: connects its parts to the document. */
import type { ServiceStatus } from '../../observe/status.ts';
import { ConsolePanel } from './console/panel.ts';
import { findById, setAttribute, setText } from './dom.ts';
import { Feed, type FeedState } from './feed.ts';
import { formatSpan, formatTime } from './format.ts';
import { KeyedList } from './keyed-list.ts';
import { NetworkCard, type NetworkView } from './network-card.ts';
import { Overview } from './overview.ts';
import { createErrorTable, createKeyTable, createProcessTable } from './tables.ts';

const STATE_TEXTS: Readonly<Record<FeedState, string>> = {
  connecting: '○ Connecting…',
  live: '● Live',
  lost: '▲ Connection lost, trying again…',
  paused: '○ Paused',
};

const overview: Overview = new Overview();
const keys = createKeyTable();
const errors = createErrorTable();
const processes = createProcessTable();
const consolePanel: ConsolePanel = new ConsolePanel();
findById('overview').append(overview.root);
findById('keys').append(keys.root);
findById('errors').append(errors.root);
findById('processes').append(processes.root);
findById('console').append(consolePanel.root);

const networks: KeyedList<NetworkView> = new KeyedList(
  findById('networks'),
  ({ network }) => network.name,
  () => new NetworkCard(),
);

function showStatus(status: ServiceStatus): void {
  const { at } = status;
  setText(findById('version'), `version ${status.version}, up ${formatSpan(at - status.startedAt)}`);
  setText(findById('time'), formatTime(at));
  overview.update(status);
  networks.update(status.networks.map((network) => ({ network, at })));
  keys.update(status.keys.toSorted((one, other) => other.calls - one.calls));
  errors.update(status.errors);
  processes.update(status.processes.map((process) => ({ process, at })));
  consolePanel.setNetworks(status.networks);
}

function showState(state: FeedState): void {
  setText(findById('state'), STATE_TEXTS[state]);
  setAttribute(document.body, 'data-state', state);
}

new Feed({ onStatus: showStatus, onState: showState }).start();
void consolePanel.load();
