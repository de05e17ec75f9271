import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { prepareApi } from './api.js';
import { App } from './app.js';
import './style.css';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root.');
try {
  await prepareApi();
} catch (error) {
  root.textContent = `The mock could not be started: ${(error as Error).message}`;
  throw error;
}
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
