import type { ReactNode } from 'react';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';

export function Turn(): ReactNode {
  return (
    <Page title="Turn">
      <Empty title="Not there yet." />
    </Page>
  );
}
