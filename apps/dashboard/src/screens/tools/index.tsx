import type { ReactNode } from 'react';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';

export function Tools(): ReactNode {
  return (
    <Page title="Tools">
      <Empty title="Not there yet." />
    </Page>
  );
}
