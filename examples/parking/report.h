#ifndef REPORT_H
#define REPORT_H

int total_revenue(void);
void print_report(void);

#endif
