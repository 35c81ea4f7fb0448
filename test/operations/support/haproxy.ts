import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../../support/embedded.ts';
import { findProxy, launchProxy, stopProxy } from '../../support/proxy-process.ts';
import { findFreePort } from '../../support/redis.ts';
import { waitUntil } from '../../support/wait-until.ts';
import type { RunningProxy } from './running-proxy.ts';

function describeHaproxy(port: number, socket: string, replicas: readonly number[]): string {
  const servers = replicas.map((replica, index) => `  server s${index} 127.0.0.1:${replica} check`);
  // A request that may have reached a replica is never sent to another: retry-on stays at conn-failure.
  return `global
  stats socket ${socket} mode 600 level admin
defaults
  mode http
  option redispatch 1
  retries 3
  timeout connect 2s
  timeout check 5s
  timeout client 60s
  timeout server 60s
  timeout tunnel 1h
  timeout http-keep-alive 60s
frontend clients
  bind 127.0.0.1:${port}
  default_backend replicas
backend replicas
  balance roundrobin
  option forwardfor
  option httpchk GET /health/ready
  http-check expect status 200
  default-server inter 200ms fall 1 rise 1
${servers.join('\n')}
`;
}

/** Starts HAProxy with readiness checks of the replicas, as an operator would configure it. */
export async function startHaproxy(replicas: readonly number[]): Promise<RunningProxy> {
  const folder = makeTemporaryFolder();
  const port = await findFreePort();
  const socket = join(folder.path, 'admin.sock');
  const config = join(folder.path, 'haproxy.cfg');
  writeFileSync(config, describeHaproxy(port, socket, replicas));
  const child = await launchProxy(findProxy('haproxy') as string, ['-db', '-f', config], port);
  const isUp = async (replica: number): Promise<boolean> => {
    const line = (await command(socket, 'show stat'))
      .split('\n')
      .find((row) => row.startsWith(`replicas,s${replica},`));
    return line?.split(',')[STATUS_FIELD] === 'UP';
  };
  return {
    port,
    // HAProxy notices draining by its checks.
    takeOut: async () => {},
    putBack: (replica) => waitUntil(() => isUp(replica)),
    close: async () => {
      await stopProxy(child);
      folder.remove();
    },
  };
}

const STATUS_FIELD = 17;

/** Sends a command to HAProxy over its socket. */
async function command(socket: string, text: string): Promise<string> {
  const connection = connect(socket);
  connection.end(`${text}\n`);
  let answer = '';
  for await (const chunk of connection.setEncoding('utf8')) answer += chunk;
  return answer;
}
