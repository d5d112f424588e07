/* Prints the generated parts of the documents, one after the other in this process, which loads the catalogs once. */
await import('./print-signal-docs.ts');
await import('./print-rule-docs.ts');
await import('./print-link-docs.ts');
await import('./print-link-graph.ts');
await import('./print-email-docs.ts');
await import('./print-phone-docs.ts');
await import('./print-event-docs.ts');
await import('./print-layers.ts');
await import('./print-authorization-docs.ts');
await import('./print-openapi-examples.ts');
