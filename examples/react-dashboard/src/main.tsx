import { createRoot } from 'react-dom/client';
import { prepareApi } from './api.js';
import { App } from './app.js';
import './style.css';

await prepareApi();
const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root.');
createRoot(root).render(<App />);
