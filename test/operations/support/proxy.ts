import type { ProxyName } from '../../support/proxy-process.ts';
import { startHaproxy } from './haproxy.ts';
import { startNginx } from './nginx.ts';
import type { RunningProxy } from './running-proxy.ts';

/** Starts a proxy in front of replicas that listen on these ports. */
export function startProxy(name: ProxyName, replicas: readonly number[]): Promise<RunningProxy> {
  return name === 'haproxy' ? startHaproxy(replicas) : startNginx(replicas);
}
