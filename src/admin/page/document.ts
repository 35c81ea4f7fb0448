import { encodeTabIcon } from './state-icons.ts';

/**
 * Returns the HTML of the status page without data; `main.ts` inserts the data. URLs are relative, for proxies that serve the page below a path.
 * @param hasAdminApi whether the admin server serves the Admin API, which the view of keys uses
 */
export function createPageHtml(hasAdminApi: boolean): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Portcullis status</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" id="tab-icon" href="${encodeTabIcon('connecting')}">
<link rel="stylesheet" href="status/page.css">
<script type="module" src="status/main.js"></script>
</head>
<body data-state="connecting" data-admin-api="${hasAdminApi ? 'on' : 'off'}">
<section id="verdict-part" class="verdict" aria-label="Verdict"><div><p id="verdict" role="status">Connecting to the service…</p></div></section>
<header class="top">
<div class="bar">
<h1><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M2 15V7a6 6 0 0 1 12 0v8M5 15V3m3 12V1m3 14V3M2 7h12M2 11h12"/></svg>Portcullis</h1>
<span id="version" class="quiet"></span>
<span class="live">Updated <time id="time">–</time></span>
<nav aria-label="Parts of this page">
<a href="#traffic">Traffic</a>
<a href="#networks-part">Networks</a>
<a href="#usage-part">Usage</a>
<a href="#errors-part">Errors</a>
<a href="#keys-part">Keys</a>
<a href="#processes-part">Processes</a>
<a href="#console-part">Console</a>
</nav>
</div>
</header>
<main>
<noscript><p class="empty">This page needs JavaScript; the same facts are at <a href="status.json">status.json</a>.</p></noscript>
<section id="traffic" aria-labelledby="traffic-title"><h2 id="traffic-title">Traffic</h2><div id="overview"></div></section>
<section id="networks-part" aria-labelledby="networks-title"><h2 id="networks-title">Networks</h2><div id="networks" class="cards"></div></section>
<div class="pair">
<section id="usage-part" aria-labelledby="usage-title"><h2 id="usage-title">Usage by key</h2><div id="usage" class="panel"></div></section>
<section id="errors-part" aria-labelledby="errors-title"><h2 id="errors-title">Recent errors</h2><div id="errors" class="panel"></div></section>
</div>
<section id="keys-part" aria-labelledby="keys-title"><h2 id="keys-title" tabindex="-1">Keys</h2><div id="keys" class="panel"></div></section>
<section id="processes-part" aria-labelledby="processes-title"><h2 id="processes-title">Processes</h2><div id="processes" class="panel"></div></section>
<section id="console-part" aria-labelledby="console-title"><h2 id="console-title">Console</h2><div id="console"></div></section>
</main>
</body>
</html>
`;
}
