import type { ReactNode } from 'react';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';

export function Alerts(): ReactNode {
  return (
    <Page title="Alerts">
      <Empty title="Not there yet." />
    </Page>
  );
}
