export * from './otel.js';
