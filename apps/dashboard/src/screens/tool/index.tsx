import type { ReactNode } from 'react';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';

export function Tool(): ReactNode {
  return (
    <Page title="Tool">
      <Empty title="Not there yet." />
    </Page>
  );
}
