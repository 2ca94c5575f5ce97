import type { ReactNode } from 'react';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';

export function Overview(): ReactNode {
  return (
    <Page title="Overview">
      <Empty title="Not there yet." />
    </Page>
  );
}
