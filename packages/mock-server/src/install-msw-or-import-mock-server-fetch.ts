// Where `msw`, an optional peer, is missing, Node and bundlers name the file that imports it: so the name says what to do.
import { http } from 'msw';

export const { all } = http;
