/** Owns the page that is served instead of a dashboard that is not built. */

export const notBuiltPage: string = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Holdfast: the dashboard is not built</title>
<h1>The dashboard is not built</h1>
<p>The gateway is running. Build its dashboard once, in the folder of the repository:</p>
<pre>npm run build:dashboard</pre>
<p>Then reload this page. You need not restart the gateway.</p>
<p>Everything it shows is also available as JSON; see <a href="/openapi.json">/openapi.json</a>.</p>
</html>
`;
