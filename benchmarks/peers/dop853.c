/* The method of Dormand and Prince of order 8(5,3) with step control [HNW1993, II.4-II.6], for a state of N values.

   coefficients.h is made by `stepping.py`: A(s, i) and the rows of weights, as macros over k[stage][i]. The control of
   the step is that of SciPy's DOP853. */

#include <math.h>

#include "coefficients.h"

typedef void (*slope)(const double *y, double *dy);

static double rms(const double *x, const double *scale)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += (x[i] / scale[i]) * (x[i] / scale[i]);
    return sqrt(sum / N);
}

static double first_step(slope f, const double *y, const double *dy, double rtol, double atol)
{
    double scale[N], ahead[N], change[N];
    for (int i = 0; i < N; i++)
        scale[i] = atol + rtol * fabs(y[i]);
    const double d0 = rms(y, scale), d1 = rms(dy, scale);
    const double guess = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    for (int i = 0; i < N; i++)
        ahead[i] = y[i] + guess * dy[i];
    f(ahead, change);
    for (int i = 0; i < N; i++)
        change[i] -= dy[i];
    const double d2 = rms(change, scale) / guess, largest = fmax(d1, d2);
    return fmin(100 * guess, largest <= 1e-15 ? fmax(1e-6, guess * 1e-3) : pow(0.01 / largest, 0.125));
}

/* y at t = 0 becomes y at t = until; returns the number of evaluations, or -1 where the step vanishes. */
long dop853(slope f, double *y, double until, double rtol, double atol)
{
    static double k[STAGES][N];
    double new[N];
    f(y, k[0]);
    double t = 0, h = first_step(f, y, k[0], rtol, atol);
    long evaluations = 2;
    int rejected = 0;
    while (t < until) {
        if (!(h > 1e-15 * t))
            return -1;
        if (t + h > until)
            h = until - t;
#define STAGE(s)                                                                                                       \
    for (int i = 0; i < N; i++)                                                                                        \
        new[i] = y[i] + h * (ROW_##s);                                                                                 \
    f(new, k[s]);
        STAGE(1) STAGE(2) STAGE(3) STAGE(4) STAGE(5) STAGE(6) STAGE(7) STAGE(8) STAGE(9) STAGE(10) STAGE(11)
        for (int i = 0; i < N; i++)
            new[i] = y[i] + h * (ROW_12);
        evaluations += 11;
        double e5 = 0, e3 = 0;
        for (int i = 0; i < N; i++) {
            const double scale = 1 / (atol + rtol * fmax(fabs(y[i]), fabs(new[i])));
            const double a = (ERROR_5) * scale, b = (ERROR_3) * scale;
            e5 += a * a;
            e3 += b * b;
        }
        const double error = e5 == 0 ? 0 : h * e5 / sqrt((e5 + 0.01 * e3) * N);
        const double factor = error == 0 ? 10 : 0.9 / sqrt(sqrt(sqrt(error)));
        if (!(error < 1)) {
            h *= factor > 0.2 ? factor : 0.2;
            rejected = 1;
            continue;
        }
        t += h;
        for (int i = 0; i < N; i++)
            y[i] = new[i];
        f(y, k[0]);
        evaluations++;
        h *= fmin(factor, rejected ? 1 : 10);
        rejected = 0;
    }
    return evaluations;
}

void repeat(slope f, const double *y, double *dy, long count)
{
    for (long i = 0; i < count; i++)
        f(y, dy);
}
