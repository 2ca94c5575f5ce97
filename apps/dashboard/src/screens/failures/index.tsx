import type { ReactNode } from 'react';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';

export function Failures(): ReactNode {
  return (
    <Page title="Failures">
      <Empty title="Not there yet." />
    </Page>
  );
}

export function Failure(): ReactNode {
  return <Failures />;
}
