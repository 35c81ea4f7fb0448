/** Proxies in front of several replicas, as an operator would configure them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { makeTemporaryFolder } from '../../support/embedded.ts';
import { waitUntil } from '../../support/program.ts';
import { findFreePort } from '../../support/redis.ts';

export type ProxyName = 'haproxy' | 'nginx';

export interface RunningProxy {
  readonly port: number;
  /** Before a replica is stopped: takes it out, where the proxy does not see by itself that it is not ready. */
  takeOut(replica: number): Promise<void>;
  /** After a replica has been started: resolves when it gets requests again. */
  putBack(replica: number): Promise<void>;
  close(): Promise<void>;
}

/** Where Debian puts servers is in no user's PATH. */
const FOLDERS = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export function findProxy(name: ProxyName): string | undefined {
  return FOLDERS.map((folder) => join(folder, name)).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

export function startProxy(name: ProxyName, replicas: readonly number[]): Promise<RunningProxy> {
  return name === 'haproxy' ? startHaproxy(replicas) : startNginx(replicas);
}

function describeHaproxy(port: number, socket: string, replicas: readonly number[]): string {
  const servers = replicas.map((replica, index) => `  server s${index} 127.0.0.1:${replica} check`);
  // A request that may have reached a replica is never sent to another: retry-on is left at conn-failure.
  return `global
  stats socket ${socket} mode 600 level admin
defaults
  mode http
  option redispatch 1
  retries 3
  timeout connect 2s
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

async function startHaproxy(replicas: readonly number[]): Promise<RunningProxy> {
  const folder = makeTemporaryFolder();
  const port = await findFreePort();
  const socket = join(folder.path, 'admin.sock');
  const config = join(folder.path, 'haproxy.cfg');
  writeFileSync(config, describeHaproxy(port, socket, replicas));
  const child = await launch(findProxy('haproxy') as string, ['-db', '-f', config], port);
  const isUp = async (replica: number): Promise<boolean> => {
    const line = (await command(socket, 'show stat'))
      .split('\n')
      .find((row) => row.startsWith(`replicas,s${replica},`));
    return line?.split(',')[STATUS_FIELD] === 'UP';
  };
  return {
    port,
    // It sees that one is draining.
    takeOut: async () => {},
    putBack: (replica) => waitUntil(() => isUp(replica)),
    close: async () => {
      await stop(child);
      folder.remove();
    },
  };
}

const STATUS_FIELD = 17;

/** Asks HAProxy something over its socket. */
async function command(socket: string, text: string): Promise<string> {
  const connection = connect(socket);
  connection.end(`${text}\n`);
  let answer = '';
  for await (const chunk of connection.setEncoding('utf8')) answer += chunk;
  return answer;
}

/** The free nginx asks nobody for his health: who restarts a replica takes it out first. */
function describeNginx(port: number, folder: string, replicas: readonly string[]): string {
  return `daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
worker_processes 1;
events { worker_connections 1024; }
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  map $http_upgrade $upgrade_or_not { default upgrade; '' ''; }
  upstream replicas {
    ${replicas.join('\n    ')}
    keepalive 32;
  }
  server {
    listen 127.0.0.1:${port};
    keepalive_requests 1000000;
    location / {
      proxy_pass http://replicas;
      proxy_http_version 1.1;
      proxy_set_header Host $host;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $upgrade_or_not;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_connect_timeout 2s;
      proxy_read_timeout 1h;
    }
  }
}
`;
}

async function startNginx(ports: readonly number[]): Promise<RunningProxy> {
  const folder = makeTemporaryFolder();
  const port = await findFreePort();
  const config = join(folder.path, 'nginx.conf');
  const write = (down?: number): void => {
    const servers = ports.map((one, index) => `server 127.0.0.1:${one}${index === down ? ' down' : ''};`);
    writeFileSync(config, describeNginx(port, folder.path, servers));
  };
  write();
  const args = ['-e', join(folder.path, 'error.log'), '-p', folder.path, '-c', config];
  const child = await launch(findProxy('nginx') as string, args, port);
  const reload = async (down?: number): Promise<void> => {
    write(down);
    child.kill('SIGHUP');
    await new Promise((resolve) => setTimeout(resolve, RELOAD_MS));
  };
  return {
    port,
    takeOut: (replica) => reload(replica),
    putBack: () => reload(),
    close: async () => {
      await stop(child);
      folder.remove();
    },
  };
}

/** Until new workers of nginx serve, and old ones have no request under way. */
const RELOAD_MS = 1_000;

async function launch(program: string, args: readonly string[], port: number): Promise<ChildProcess> {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let complaint = '';
  child.stderr?.on('data', (chunk) => {
    complaint += chunk;
  });
  await waitUntil(async () => {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}: ${complaint}`);
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    return isOpen;
  });
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 2_000);
  await exited;
  clearTimeout(timer);
}
