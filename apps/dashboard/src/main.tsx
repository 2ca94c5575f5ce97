import './ui/tokens.css';
import './ui/base.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { readTokenFromUrl } from './data/session-token.ts';
import { applyTheme } from './shell/theme.ts';

readTokenFromUrl();
applyTheme();
const root = document.getElementById('root');
if (root) createRoot(root).render(<App />);
