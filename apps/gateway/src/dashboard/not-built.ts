/** Owns the page that is there in place of a dashboard that was not built. */

export const notBuiltPage: string = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Holdfast: the dashboard is not built</title>
<h1>The dashboard is not built</h1>
<p>The gateway runs. Its dashboard has to be built once, in the folder of the repository:</p>
<pre>npm run build:dashboard</pre>
<p>Then load this page again; the gateway need not be started again.</p>
<p>Everything it shows is also there as JSON: <a href="/openapi.json">/openapi.json</a> says how to ask for it.</p>
</html>
`;
