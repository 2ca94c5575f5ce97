import type { ReactNode } from 'react';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';

export function WhatIf(): ReactNode {
  return (
    <Page title="WhatIf">
      <Empty title="Not there yet." />
    </Page>
  );
}
