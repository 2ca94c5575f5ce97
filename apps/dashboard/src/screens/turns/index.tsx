import type { ReactNode } from 'react';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';

export function Turns(): ReactNode {
  return (
    <Page title="Turns">
      <Empty title="Not there yet." />
    </Page>
  );
}
