/** The routes of the dashboard. All screens except the overview load on demand. */
import { lazy, type ReactNode, Suspense } from 'react';
import { Route, Switch } from 'wouter';
import { usePathname } from 'wouter/use-browser-location';
import { LiveProvider } from './data/live.tsx';
import { NotFound } from './screens/not-found/index.tsx';
import { Overview } from './screens/overview/index.tsx';
import { ScreenBoundary, Shell } from './shell/shell.tsx';
import { Skeleton } from './ui/states.tsx';

const Tools = lazy(async () => ({ default: (await import('./screens/tools/index.tsx')).Tools }));
const Tool = lazy(async () => ({ default: (await import('./screens/tool/index.tsx')).Tool }));
const Turns = lazy(async () => ({ default: (await import('./screens/turns/index.tsx')).Turns }));
const Turn = lazy(async () => ({ default: (await import('./screens/turn/index.tsx')).Turn }));
const WhatIf = lazy(async () => ({ default: (await import('./screens/what-if/index.tsx')).WhatIf }));
const Failures = lazy(async () => ({ default: (await import('./screens/failures/index.tsx')).Failures }));
const Failure = lazy(async () => ({ default: (await import('./screens/failures/index.tsx')).Failure }));
const Alerts = lazy(async () => ({ default: (await import('./screens/alerts/index.tsx')).Alerts }));
const Logins = lazy(async () => ({ default: (await import('./screens/logins/index.tsx')).Logins }));

export function App(): ReactNode {
  const path = usePathname();
  return (
    <LiveProvider>
      <Shell>
        <ScreenBoundary key={path}>
          <Suspense fallback={<Skeleton height="70vh" />}>
            <Switch>
              <Route path="/" component={Overview} />
              <Route path="/tools" component={Tools} />
              <Route path="/tools/:name" component={Tool} />
              <Route path="/turns" component={Turns} />
              <Route path="/turns/:id" component={Turn} />
              <Route path="/turns/:id/what-if" component={WhatIf} />
              <Route path="/failures" component={Failures} />
              <Route path="/failures/:signature" component={Failure} />
              <Route path="/alerts" component={Alerts} />
              <Route path="/logins" component={Logins} />
              <Route component={NotFound} />
            </Switch>
          </Suspense>
        </ScreenBoundary>
      </Shell>
    </LiveProvider>
  );
}
