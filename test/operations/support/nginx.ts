import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../../support/embedded.ts';
import { findProxy, launchProxy, stopProxy } from '../../support/proxy-process.ts';
import { findFreePort } from '../../support/redis.ts';
import type { RunningProxy } from './running-proxy.ts';

/** Configuration of nginx. The free version has no health checks: a replica is removed before it is restarted. */
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

/** Starts nginx; a replica is removed by a reload of the configuration. */
export async function startNginx(ports: readonly number[]): Promise<RunningProxy> {
  const folder = makeTemporaryFolder();
  const port = await findFreePort();
  const config = join(folder.path, 'nginx.conf');
  const write = (down?: number): void => {
    const servers = ports.map((one, index) => `server 127.0.0.1:${one}${index === down ? ' down' : ''};`);
    writeFileSync(config, describeNginx(port, folder.path, servers));
  };
  write();
  const args = ['-e', join(folder.path, 'error.log'), '-p', folder.path, '-c', config];
  const child = await launchProxy(findProxy('nginx') as string, args, port);
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
      await stopProxy(child);
      folder.remove();
    },
  };
}

/** Time until nginx's new workers serve, and old ones have no request in flight. */
const RELOAD_MS = 1_000;
