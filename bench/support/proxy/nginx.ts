import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProxy, launchProxy, stopProxy } from '../../../test/support/proxy-process.ts';
import { findFreePort } from '../../../test/support/redis.ts';
import { pinTo, SERVER_CORE } from '../cpu.ts';
import type { Row } from './rows.ts';
import type { Subject } from './subject.ts';

export const NO_NGINX_NOTE =
  'there is no nginx (scripts/install-servers.sh installs it): nothing is compared with it, and goals that are relative to it are missed';

type Listener = {
  readonly upstreams: Row['upstreams'];
  readonly port: number;
  readonly nodes: readonly number[];
};

/** Configures one process that only passes requests on over keep-alive connections: no log, no temporary files, no bodies buffered on disk. */
function describeNginx(folder: string, listeners: readonly Listener[]): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log ${folder}/nginx-error.log;
events { worker_connections 4096; }
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${folder}/nginx-${name};`).join('\n  ')}
  client_body_buffer_size 1m;
  proxy_max_temp_file_size 0;
  keepalive_requests 1000000000;
  map $http_upgrade $upgrade_or_not { default upgrade; '' ''; }
  ${listeners.map(describeListener).join('\n  ')}
}
`;
}

function describeListener({ upstreams, port, nodes }: Listener): string {
  return `upstream nodes${upstreams} {
    ${nodes.map((node) => `server 127.0.0.1:${node};`).join('\n    ')}
    keepalive 256;
    keepalive_requests 1000000000;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://nodes${upstreams};
      proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $upgrade_or_not;
    }
  }`;
}

/** Starts nginx; undefined where it is not installed. */
export async function startNginx(folder: string, nodes: readonly number[]): Promise<Subject | undefined> {
  const program = findProxy('nginx');
  if (program === undefined) return undefined;
  const listeners: readonly Listener[] = [
    { upstreams: 1, port: await findFreePort(), nodes: nodes.slice(0, 1) },
    { upstreams: 3, port: await findFreePort(), nodes },
  ];
  const config = join(folder, 'nginx.conf');
  writeFileSync(config, describeNginx(folder, listeners));
  const errors = join(folder, 'nginx-error.log');
  const [command = program, ...rest] = [...pinTo(SERVER_CORE), program];
  const args = [...rest, '-e', errors, '-p', folder, '-c', config];
  const child = await launchProxy(command, args, listeners[0]?.port as number);
  return {
    name: 'nginx',
    pid: child.pid as number,
    targetOf: (row) => {
      const listener = listeners.find(({ upstreams }) => upstreams === row.upstreams);
      return listener && { port: listener.port, path: '/' };
    },
    stop: () => stopProxy(child),
  };
}
